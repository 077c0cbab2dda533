"""Report → terminal, HTML page, exports. Renderers lay out; they compute nothing."""
