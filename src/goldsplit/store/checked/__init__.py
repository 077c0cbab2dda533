"""Reading what somebody else may have written: plain files, JSON, numbers, headers; all checked here."""
