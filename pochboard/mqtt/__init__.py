"""The table in a home: what an MQTT broker is told, and what it may change (docs/HOME.md)."""
