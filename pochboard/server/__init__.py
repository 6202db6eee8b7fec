"""The page, the API and the event stream, over HTTP."""
