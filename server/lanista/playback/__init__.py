"""Replays of records: frames for the page, HTML files, images, and the replay worker."""
