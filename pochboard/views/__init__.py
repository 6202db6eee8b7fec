"""The JSON that phones get: each object is typed beside the function that makes it."""
