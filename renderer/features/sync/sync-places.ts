// Owns the addresses of the screens of sync inside the window.

/** The screen of sync; its parts are below it. */
export const syncPath = '/sync'

/** Where a device joins another one's workspace. */
export const joinPath = '/sync/join'

/** Where people decide between values that met. */
export const conflictsPath = '/sync/conflicts'

/** Where what was set aside or refused can be tried again or given up, and what waits is listed. */
export const asidePath = '/sync/conflicts?part=aside'
