"""What a real board is made of: pins and parts as data, and the drawings that follow from them.

`make drawings` writes the drawings and tables anew; hardware/README.md says which there are.
"""
