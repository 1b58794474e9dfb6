"""Where: positions and fixes become stays, cells, regions and shorter names."""
