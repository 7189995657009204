// Words of a long text that several people edit at once.

/** Texts of the editor. */
export const liveTextStrings = {
  'live.connecting': 'Opening the text',
  'live.keys': 'Stored as you type. Escape leaves.',
  'live.readOnly': 'You may read this text, not change it.',
  'live.others': 'Also in this text: {names}',
  'live.offline': 'No connection. What you type is stored when it is back.',
  'live.offline.unstored': 'No connection: what you typed is not stored yet.',
  'live.refused': 'Not stored: {reason}',
  'live.left':
    '{field} is not stored: {reason} Open it again to go on; the text is kept as long as this window is open.',
  'live.refused.unknown': 'the record refuses it.',
  'live.full': 'There is no room for more in this field.',
  'live.copy': 'What you typed is still here: copy it before you leave.',
  'live.end.gone': 'This record or field is not there any more.',
  'live.end.forbidden': 'You may not change this text any more.',
  'live.end.too-large': 'This text is too large to be edited together.',
  'live.end.refused': 'The host does not accept what this page sends.',
  'live.end.unavailable': 'This text cannot be edited together.',
} as const
