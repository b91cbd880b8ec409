// What Warpwise adds to mdBook.
