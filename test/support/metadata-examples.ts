// One whole item of every type that can be made at run time, and items that are wrong in one place each. The objects
// they name are made by `exampleObjects`.

type Item = Record<string, unknown>

/** The objects the examples stand on. */
export const exampleObjects: Readonly<Record<string, Item>> = {
  customer: { fields: { name: { type: 'text' }, city: { type: 'text' } } },
  ticket: {
    fields: {
      title: { type: 'text' },
      status: { type: 'select', options: ['open', 'done'] },
      due: { type: 'date' },
      amount: { type: 'number' },
      customer: { type: 'lookup', reference: 'customer' },
    },
  },
}

/** A whole item by type; names of children start with their object. */
export const wholeItems: Readonly<Record<string, { name: string; item: Item }>> = {
  object: {
    name: 'machine',
    item: {
      label: 'Machine',
      fields: { name: { type: 'text', required: true }, power: { type: 'number', min: 0 } },
      displayNameField: 'name',
      indexes: [{ fields: ['power'] }],
      hooks: [{ name: 'stamp', events: ['beforeInsert'], body: 'return {}' }],
      triggers: [{ name: 'tell', events: ['create'], actions: [{ type: 'notify', config: {} }] }],
      analytics: { measures: { strongest: { type: 'max', field: 'power' } } },
    },
  },
  field: { name: 'ticket.note', item: { type: 'textarea', label: 'Note' } },
  trigger: {
    name: 'ticket.announce',
    item: {
      object: 'ticket',
      events: ['create', 'update'],
      condition: 'record.amount > 10',
      actions: [{ type: 'run_flow', config: { flow: 'escalate' } }],
    },
  },
  validation: {
    name: 'ticket.dear',
    item: { object: 'ticket', type: 'script', condition: 'record.amount > 1000', message: 'Too dear.' },
  },
  hook: {
    name: 'ticket.stamp',
    item: { object: 'ticket', events: ['beforeUpdate'], body: 'return {}', timeoutMs: 500 },
  },
  view: {
    name: 'ticket.board',
    item: {
      object: 'ticket',
      viewKind: 'list',
      label: 'Board',
      config: {
        type: 'kanban',
        columns: ['title', { field: 'customer.name', width: 120 }],
        filter: { status: 'open' },
        sort: [{ field: 'due', order: 'asc' }],
        kanban: { groupByField: 'status' },
      },
    },
  },
  page: {
    name: 'start',
    item: {
      route: '/start',
      object: 'ticket',
      layout: [
        { columns: 2, components: [{ type: 'list', props: { view: 'ticket.board' }, visibleOn: 'user.id != ""' }] },
      ],
    },
  },
  dashboard: {
    name: 'overview',
    item: {
      columns: 12,
      widgets: [
        {
          id: 'sum',
          type: 'metric',
          query: { cube: 'ticket', measures: ['amount.sum'] },
          layout: { x: 0, y: 0, w: 3, h: 2 },
        },
        { id: 'open', type: 'list', view: 'ticket.board' },
      ],
    },
  },
  app: {
    name: 'desk',
    item: {
      icon: 'ticket',
      navigation: [
        {
          id: 'work',
          type: 'group',
          label: 'Work',
          children: [
            { id: 'tickets', type: 'object', target: 'ticket' },
            { id: 'board', type: 'view', target: 'ticket.board' },
          ],
        },
        { id: 'home', type: 'page', target: 'start' },
      ],
    },
  },
  action: {
    name: 'ticket.close',
    item: {
      object: 'ticket',
      type: 'update',
      config: { data: { status: 'done' } },
      params: [{ name: 'reason', label: 'Reason', type: 'text', required: true }],
      locations: ['record'],
      visibleOn: 'record.status == "open"',
    },
  },
  report: {
    name: 'by_status',
    item: {
      object: 'ticket',
      type: 'summary',
      columns: ['title', 'customer.name'],
      groupings: [{ field: 'due', granularity: 'month' }],
      aggregations: [{ field: 'amount', function: 'sum' }],
      filter: { status: 'open' },
    },
  },
  flow: {
    name: 'escalate',
    item: {
      type: 'record_change',
      nodes: [
        { id: 'start', type: 'start', config: { object: 'ticket', events: ['update'] } },
        { id: 'end', type: 'end' },
      ],
      edges: [{ id: 'e1', source: 'start', target: 'end' }],
    },
  },
  job: {
    name: 'nightly',
    item: {
      schedule: { cron: '30 2 * * 1-5', timezone: 'Europe/Berlin' },
      function: 'tidy',
      retryPolicy: { maxRetries: 1 },
    },
  },
  translation: {
    name: 'german',
    item: {
      locale: 'de',
      translations: { objects: { ticket: { label: 'Vorgang', fields: { title: { label: 'Titel' } } } } },
    },
  },
  function: { name: 'tidy', item: { source: 'return 1', timeoutMs: 1000 } },
  email_template: {
    name: 'welcome',
    item: { subject: 'Ticket {{ record.title }}', text: 'Dear {{ record.title }}', object: 'ticket' },
  },
  permission: {
    name: 'agents',
    item: {
      objects: { ticket: { allowRead: true, allowEdit: true } },
      fields: { 'ticket.amount': { readable: true, editable: false } },
      systemPermissions: ['run_flows'],
      rowLevelSecurity: [{ name: 'open', object: 'ticket', actions: ['read'], condition: 'record.status == "open"' }],
    },
  },
  profile: { name: 'staff', item: { objects: { '*': { allowRead: true } }, isDefault: false } },
  role: { name: 'lead', item: { permissionSets: ['agents'] } },
  agent: { name: 'helper', item: { instructions: 'Help.', tools: ['find'], skills: ['tone'], temperature: 0.2 } },
  tool: { name: 'find', item: { type: 'query', target: 'ticket', inputSchema: { type: 'object' } } },
  skill: { name: 'tone', item: { instructions: 'Be kind.', tools: ['find'], triggers: ['angry'] } },
}

/** What is wrong, in which item, and the path and code of the answer. `field` undefined for keys nobody checks. */
export const wrongItems: readonly (readonly [type: string, change: Item, field: string, code: string])[] = [
  ['trigger', { events: ['sometimes'] }, 'events.0', 'invalid_option'],
  ['trigger', { condition: 'record.' }, 'condition', 'expression_error'],
  ['trigger', { actions: [{ type: 'explode' }] }, 'actions.0.type', 'invalid_option'],
  ['validation', { type: 'guess' }, 'type', 'invalid_option'],
  ['validation', { condition: undefined }, 'condition', 'required'],
  ['validation', { type: 'unique', condition: undefined }, 'fields', 'required'],
  ['validation', { message: undefined }, 'message', 'required'],
  ['validation', { type: 'format', field: 'title', regex: '(' }, 'regex', 'invalid_format'],
  ['validation', { events: ['always'] }, 'events.0', 'invalid_option'],
  ['hook', { body: undefined }, 'body', 'required'],
  ['hook', { events: [] }, 'events', 'min_items'],
  ['hook', { timeoutMs: 0 }, 'timeoutMs', 'min_value'],
  ['hook', { condition: 'record.a +' }, 'condition', 'expression_error'],
  ['view', { viewKind: 'chart' }, 'viewKind', 'invalid_option'],
  ['view', { config: { type: 'wall' } }, 'config.type', 'invalid_option'],
  ['view', { config: { kanban: {} } }, 'config.kanban.groupByField', 'required'],
  ['view', { config: { columns: [{ width: 3 }] } }, 'config.columns.0.field', 'required'],
  ['page', { layout: [{ components: [{ props: {} }] }] }, 'layout.0.components.0.type', 'required'],
  [
    'page',
    { layout: [{ components: [{ type: 'x', visibleOn: '((' }] }] },
    'layout.0.components.0.visibleOn',
    'expression_error',
  ],
  ['page', { layout: 'two' }, 'layout', 'invalid_type'],
  ['dashboard', { widgets: [{ type: 'metric' }] }, 'widgets.0.id', 'required'],
  ['dashboard', { widgets: [{ id: 'a', type: 'picture' }] }, 'widgets.0.type', 'invalid_option'],
  [
    'dashboard',
    { widgets: [{ id: 'a', type: 'text', layout: { x: 0, y: 0, w: 0, h: 1 } }] },
    'widgets.0.layout.w',
    'min_value',
  ],
  ['app', { navigation: [{ id: 'a', type: 'door', target: 'x' }] }, 'navigation.0.type', 'invalid_option'],
  ['app', { navigation: [{ type: 'group' }] }, 'navigation.0.id', 'required'],
  ['action', { type: 'dance' }, 'type', 'invalid_option'],
  ['action', { type: 'url', config: undefined }, 'target', 'required'],
  ['action', { params: [{ label: 'x' }] }, 'params.0.name', 'required'],
  ['action', { visibleOn: '1 +' }, 'visibleOn', 'expression_error'],
  ['report', { columns: [7] }, 'columns.0', 'invalid_type'],
  ['report', { groupings: [{ granularity: 'day' }] }, 'groupings.0.field', 'required'],
  ['flow', { nodes: [{ type: 'start' }] }, 'nodes.0.id', 'required'],
  ['flow', { edges: [{ id: 'e', source: 'start' }] }, 'edges.0.target', 'required'],
  ['job', { schedule: { cron: 'often' } }, 'schedule.cron', 'invalid_format'],
  ['job', { schedule: { everySeconds: 0 } }, 'schedule.everySeconds', 'min_value'],
  ['job', { function: undefined }, 'function', 'required'],
  ['job', { schedule: undefined }, 'schedule', 'required'],
  ['translation', { locale: 'not a tag' }, 'locale', 'invalid_format'],
  [
    'translation',
    { translations: { objects: { ticket: { label: 5 } } } },
    'translations.objects.ticket.label',
    'invalid_type',
  ],
  ['function', { source: '' }, 'source', 'min_length'],
  ['email_template', { subject: undefined }, 'subject', 'required'],
  ['permission', { objects: { ticket: { allowRead: 'yes' } } }, 'objects.ticket.allowRead', 'invalid_boolean'],
  [
    'permission',
    { rowLevelSecurity: [{ name: 'a', object: 'ticket', actions: ['look'], condition: {} }] },
    'rowLevelSecurity.0.actions.0',
    'invalid_option',
  ],
  ['profile', { isDefault: 'yes' }, 'isDefault', 'invalid_boolean'],
  ['role', { permissionSets: 'agents' }, 'permissionSets', 'invalid_type'],
  ['agent', { instructions: undefined }, 'instructions', 'required'],
  ['agent', { temperature: 9 }, 'temperature', 'max_value'],
  ['tool', { target: undefined }, 'target', 'required'],
  ['skill', { tools: [1] }, 'tools.0', 'invalid_type'],
]

/** Faults between parts of one item, which no JSON Schema can say. */
export const tangledItems: readonly (readonly [type: string, change: Item, field: string, code: string])[] = [
  [
    'dashboard',
    {
      widgets: [
        { id: 'a', type: 'text' },
        { id: 'a', type: 'text' },
      ],
    },
    'widgets.1.id',
    'duplicate_value',
  ],
  ['app', { navigation: [{ id: 'a', type: 'object' }] }, 'navigation.0.target', 'required'],
  [
    'app',
    { navigation: [{ id: 'a', type: 'group', children: [{ id: 'a', type: 'url', target: '/' }] }] },
    'navigation.0.children.0.id',
    'duplicate_value',
  ],
  [
    'flow',
    { nodes: [{ id: 'a', type: 'start' }], edges: [{ id: 'e', source: 'a', target: 'b' }] },
    'edges.0.target',
    'invalid_reference',
  ],
  [
    'flow',
    {
      nodes: [
        { id: 'a', type: 'x' },
        { id: 'a', type: 'x' },
      ],
      edges: [],
    },
    'nodes.1.id',
    'duplicate_value',
  ],
  ['job', { schedule: { cron: '0 0 * * *', everySeconds: 5 } }, 'schedule', 'not_allowed'],
  ['job', { flow: 'escalate' }, 'flow', 'not_allowed'],
  ['job', { schedule: { cron: '0 0 * * *', timezone: 'Mars/Olympus' } }, 'schedule.timezone', 'invalid_format'],
  ['action', { params: [{ name: 'a' }, { name: 'a' }] }, 'params.1.name', 'duplicate_value'],
]
