// The door of files as primitives: choosing, sending and showing them.
import { addStrings } from '../../lib/strings.ts'
import { filePlaceStrings } from '../../lib/strings/file-places.ts'
import { fileStrings } from '../../lib/strings/files.ts'

export { ChosenFiles } from './chosen-files.tsx'
export { FileThumb } from './file-chip.tsx'
export { FileDrop } from './file-drop.tsx'
export { PickButton } from './pick-button.tsx'
export { UploadList, uploadProblem } from './upload-list.tsx'

// Here, since everything about files comes through this door.
addStrings(fileStrings)
addStrings(filePlaceStrings)
