"""What the board shows: the state, the pending presses and the time become the pixels' colours.

`look` is the configuration, `scene` what a frame depends on, `render` makes the frame and says when
the next one is due, `effects` are what moves for a moment, `power` keeps a frame within its limit,
`readback` reads the chip counts off a frame again. Times are microseconds of a monotonic clock.
"""
