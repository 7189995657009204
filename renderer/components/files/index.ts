// The door of files as primitives: choosing, sending and showing them.

export { ChosenFiles } from './chosen-files.tsx'
export { FileThumb } from './file-chip.tsx'
export { FileDrop } from './file-drop.tsx'
export { PickButton } from './pick-button.tsx'
export { UploadList, uploadProblem } from './upload-list.tsx'
