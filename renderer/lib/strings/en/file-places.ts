// Words of where the bytes of files are when several devices keep one workspace.

/** Texts of where files are. */
export const filePlaceStrings = {
  'filePlace.column': 'Where',
  'filePlace.here': 'On this device',
  'filePlace.away': 'On another device',
  'filePlace.away.of': 'On {machine}',
  'filePlace.help': 'Files that are not on this device yet: open one to fetch it.',
  'filePlace.coming': 'Coming: {received} of {size}',
  'filePlace.waiting': 'Not on this device yet. It is being fetched.',
  'filePlace.waiting.of': 'Not on this device yet. It is being fetched from {machine}.',
  'filePlace.progress': 'Fetching {name}',
  'filePlace.problem': 'This file is on another device, which is not connected. Start that device, then open it again.',
  'filePlace.problem.of': 'This file is on {machine}, which is not connected. Start {machine}, then open it again.',
  'filePlace.problem.refused': 'No connected device gave this file. Open it again later.',
  'filePlace.keep': 'Keep every file on this device',
  'filePlace.keep.help':
    'Fetches all files in the background, the newest first. Otherwise a file is fetched when you open it.',
  'filePlace.keep.on': 'Every file is kept on this device',
  'filePlace.keep.off': 'Files come to this device when they are opened',
}
