"""The process: its lock, signals, health, log and service manager."""
