// The name of the program among packages. Pure.

/** The package id of items that come with the program itself: every machine has its own. */
export const programPackage = 'cairn.system'
