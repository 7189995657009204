// Words of the parts of home that only people with objects see.

/** Texts of these parts. */
export const homePartStrings = {
  'home.recents': 'Opened last',
  'home.pin': 'Pin {label}',
  'home.unpin': 'Take {label} off',
  'home.changes': 'Changed by others since you were last here',
  'home.changes.since': 'Since {when}',
  'home.changes.none': 'Nothing was changed by others since {when}.',
  'home.changes.of.one': '{object}: {count} record',
  'home.changes.of.other': '{object}: {count} records',
  'home.changes.by': '{title}, by {name}',
  'home.next': 'What next?',
  'home.next.hide': 'I know my way',
  'home.next.fields': 'Look through the fields of {object}: types, rules, choices',
  'home.next.view': 'Filter and group {object}, see it as a kanban or calendar, and save that as a view',
  'home.next.dashboard': 'Show figures of {object} on a dashboard',
  'home.next.people': 'Invite somebody and say what they may see',
  'home.next.device': 'Have it on a second machine',
  'home.next.backup': 'See the backups that are made each night',
  'home.next.keys': 'Press ? for the keys, and Ctrl+K to find anything.',
} as const
