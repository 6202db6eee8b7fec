"""What phones and the display get: each object is typed beside the function that makes it."""
