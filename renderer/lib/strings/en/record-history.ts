// Words of the history of a record: going back to a point of it, days, and runs of changes.

/** Texts of what was added to activity and history. */
export const recordHistoryStrings = {
  'history.restoreAll': 'Restore the record to this point',
  'history.restoreAll.of': 'Restore the record to this point: {time}',
  'history.restoreAll.title': 'Restore the record to {time}?',
  'history.restoreAll.body.one':
    '{fields} gets the value it had then. This is a change like any other: Undo takes it back.',
  'history.restoreAll.body.other':
    '{count} fields get the values they had then: {fields}. This is a change like any other: Undo takes it back.',
  'history.restoreAll.confirm': 'Restore',
  'history.restoreAll.done.one': '{count} field is as it was. Undo takes it back.',
  'history.restoreAll.done.other': '{count} fields are as they were. Undo takes it back.',
  'history.restoreAll.refused': 'Not restored: {problems} The record is as it was before.',
  'history.restoreAll.same': 'The record already holds what it held then.',

  'activity.today': 'Today',
  'activity.yesterday': 'Yesterday',
  'activity.run.one': '{name} made {count} change',
  'activity.run.other': '{name} made {count} changes',
} as const
