// Words of the lists of a record: records that lead to it, and its files.

/** Texts of these lists. */
export const recordLinkStrings = {
  'related.none': 'None of {object} leads here yet.',
  'related.add.of': 'Add to {list}',
  'related.rows': 'Records of {list}',
  'related.link': 'Link existing',
  'related.link.of': 'Link existing records to {list}',
  'related.link.title': 'Link to {list}',
  'related.link.help': 'Type a part of its name. A record that leads elsewhere will lead here instead.',
  'related.link.missing': 'Choose a record.',
  'related.link.done': 'Linked. Undo takes it back.',
  'related.unlink.of': 'Unlink {record}',
  'related.unlinked': 'Unlinked, not deleted. Undo takes it back.',
  'related.more.one': 'Show {count} more',
  'related.more.other': 'Show {count} more',
  'related.all': 'Show all {count}',

  'record.files': 'Files',
  'record.files.of': 'Files of {field}',
  'record.files.none': 'No files yet. Drop them on a field that holds files.',
} as const
