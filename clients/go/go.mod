module lanista

go 1.19
