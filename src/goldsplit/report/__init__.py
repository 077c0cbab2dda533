"""Report → terminal, JSON, …: renderers lay out; they compute nothing."""
