"""The pages: functions that take the site and a request and return a response."""
