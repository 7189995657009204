// The door of long texts that several people edit at once; the editor itself is loaded when it is opened.
export { LiveText, useHasLiveText } from './live-text.tsx'
