"""What the board shows: the colours of all pixels, from the state, the pending input and the time.

`lights_config` is the configuration, `scene` what a frame depends on. `render` makes the frame and
says when the next one is due. `prompts` decides what is lit, `animation` how lights change over
time, `count_code` how a ring shows chips and how a count is read from a frame. `frame` keeps a
frame within the power limit. Times are microseconds of a monotonic clock.
"""
