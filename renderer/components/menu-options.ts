// Owns how menus open: at once, beside their button in the order of the page, with the focus on their first entry.

/** Properties of every menu; where it opens is its own. */
export const menuOptions = {
  transitionProps: { duration: 0 },
  withinPortal: false,
  withInitialFocusPlaceholder: false,
} as const
