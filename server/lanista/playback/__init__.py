"""Records made visible: frames for the page, HTML, PNG and GIF, and the process that makes them."""
