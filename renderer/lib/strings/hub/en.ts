// Words of a workspace that several computers keep. Few workspaces show them: they are loaded with their part.

/** Texts of the hub. */
export const hubStrings = {
  'hub.lead': 'Several computers keep this workspace: one leads, the others follow and take over when it fails.',
  'hub.alone': 'No other computer follows: start one, so that somebody can take over.',
  'hub.old': 'The newest copy is older than two days: see logs/hub of the computers that follow.',
  'hub.unsafe': 'PostgreSQL can lose what it has acknowledged, by its settings: {settings}.',
  'hub.silent': 'The hub does not answer. What you see is of {when}.',
  'hub.handover': 'Before the one that leads is upgraded or switched off, let another one lead: {command}',
  'hub.nodes': 'Computers',
  'hub.address': 'Address',
  'hub.state': 'State',
  'hub.state.leads': 'Leads',
  'hub.state.follows': 'Follows',
  'hub.state.gone': 'Gone',
  'hub.behind': 'Rows behind',
  'hub.seen': 'Last seen',
  'hub.snapshot': 'Newest copy',
  'hub.unchecked': 'not checked yet',
  'hub.restorable': 'Can go back to',
} as const
