"""The board with a Raspberry Pi Pico, over USB serial (docs/PROTOCOL.md)."""
