// Words of a workspace that several computers keep.

/** Texts of the hub. */
export const hubStrings = {
  'settings.part.hub': 'Hub',
  'hub.lead': 'Several computers keep this workspace. One leads, the others follow and take over when it fails.',
  'hub.nodes': 'Computers',
  'hub.address': 'Address',
  'hub.state': 'State',
  'hub.state.leads': 'Leads',
  'hub.state.follows': 'Follows',
  'hub.state.gone': 'Gone',
  'hub.behind': 'Rows behind',
  'hub.seen': 'Last seen',
  'hub.snapshot': 'Newest copy',
  'hub.snapshot.none': 'none',
  'hub.checked': 'checked by another computer',
  'hub.unchecked': 'not checked yet',
  'hub.restorable': 'Can go back to',
  'hub.log': 'Log',
  'hub.alone': 'No other computer follows',
  'hub.alone.text': 'If this one fails, nobody takes over. Start another one.',
  'hub.old': 'The newest copy is older than two days',
  'hub.old.text': 'The reason is in logs/hub of the data folders of the computers that follow.',
  'hub.handover': 'Before the one that leads is upgraded or switched off, let another one lead: {command}',
  'hub.denied': 'Only who may manage settings sees the hub.',
} as const
