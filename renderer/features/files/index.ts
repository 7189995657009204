// The door of files: looking at them from anywhere.
export { FilePreview } from './file-preview.tsx'
