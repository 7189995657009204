// The door of sharing: the dialog, loaded when it is first opened.
import { lazyPart } from '../../lib/lazy-part.ts'

/** Shows and changes who has access to one record. See share-dialog.tsx. */
export const ShareDialog = lazyPart(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }))
