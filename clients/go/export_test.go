package lanista

import "time"

// FinalCodes is for the tests outside of this package.
var FinalCodes = finalCodes

// SetSleep has the pauses made in another way until the returned function is
// called.
func SetSleep(another func(time.Duration)) (restore func()) {
	own := sleep
	sleep = another
	return func() { sleep = own }
}

// DrawTo draws by these writes.
func DrawTo(write func([]byte)) Draw {
	return Draw{write}
}
