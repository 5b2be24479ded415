package lanista

import (
	"io"
	"time"
)

// FinalCodes is for the tests outside of this package.
var FinalCodes = finalCodes

// SetSleep has the pauses made in another way until the returned function is
// called.
func SetSleep(another func(time.Duration)) (restore func()) {
	own := sleep
	sleep = another
	return func() { sleep = own }
}

// SetStderr has the library tell elsewhere, and after another silence, until the
// returned function is called.
func SetStderr(another io.Writer, after time.Duration) (restore func()) {
	own, length := stderr, silence
	stderr, silence = another, after
	return func() { stderr, silence = own, length }
}

// DrawTo draws by these writes.
func DrawTo(write func([]byte)) Draw {
	return Draw{write}
}
