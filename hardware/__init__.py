"""The hardware of a board: pins and parts as data, and the drawings made from them.

`make drawings` regenerates the drawings and tables; hardware/README.md lists them.
"""
