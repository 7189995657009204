// The door of sharing: the dialog, loaded when it is first opened.
import { lazy } from 'react'

/** Shows and changes who has access to one record. See share-dialog.tsx. */
export const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }))
