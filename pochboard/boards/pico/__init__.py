"""The board that a Raspberry Pi Pico drives, over USB serial (docs/PROTOCOL.md)."""
