// The Model Context Protocol: tools that read and write, resources, and what refusals say.
import type { ChannelCases, LeakCase } from './leak-case.ts'
import { absentId, get, post } from './leak-case.ts'

const ask = (method: string, params: object = {}, path = '//mcp'): LeakCase =>
  post(path, { jsonrpc: '2.0', id: 1, method, params })

const call = (name: string, args: object): LeakCase => ask('tools/call', { name, arguments: args })

const objects = ['matter', 'matter_line', 'person', 'vault'] as const

/** To be tried before any write: a list repeats what callers said themselves. */
export const mcpReads: Readonly<Record<string, ChannelCases>> = {
  'mcp reads': (world) => [
    get('/mcp/acts'),
    ask('tools/list'),
    ask('resources/list'),
    ask('tools/list', {}, '/mcp'),
    ask('tools/call', { name: 'list_objects', arguments: {} }, '//api/mcp'),
    ...objects.flatMap((object) => [
      call('describe_object', { object }),
      call('query_records', { object, limit: 200, count: true }),
      call('export_records', { object, format: 'json' }),
      ask('resources/read', { uri: `cairn://objects/${object}` }),
    ]),
    call('query_records', { object: 'matter', search: 'alpha', limit: 200 }),
    call('query_records', { object: 'matter', expand: ['keeper'], limit: 200 }),
    ...[...world.hidden, world.hiddenDeleted, absentId].flatMap((id) => [
      call('get_record', { object: 'matter', id }),
      ask('resources/read', { uri: `cairn://records/matter/${id}` }),
    ]),
    call('get_record', { object: 'person', id: world.hiddenPerson }),
    call('get_record', { object: 'vault', id: world.vaults[0] }),
    ...world.triedFields.flatMap((field) => [
      call('query_records', { object: 'matter', select: [field], limit: 200 }),
      call('query_records', { object: 'matter', filter: { [field]: { $null: false } }, count: true }),
      call('query_records', { object: 'matter', sort: field }),
      call('aggregate_records', {
        object: 'matter',
        groupBy: [field],
        aggregations: [{ function: 'count', alias: 'n' }],
      }),
    ]),
  ],
}

export const mcpWrites: Readonly<Record<string, ChannelCases>> = {
  'mcp writes': (world, role, at) => [
    call('create_record', { object: 'matter', data: { name: `By tool ${role}`, stage: 'open' } }),
    call('create_record', { object: 'matter', data: { name: 'x', stage: 'open', vaulted: world.vaults[0] } }),
    call('import_records', { object: 'matter', rows: [{ name: 'x', amount: 'none' }] }),
    ...[...world.hidden, world.hiddenDeleted, absentId].flatMap((id) => [
      call('update_record', { object: 'matter', id, data: { body: 'x' } }),
      call('delete_record', { object: 'matter', id }),
      call('delete_record', { object: 'matter', id, purge: true }),
      call('comment_record', { object: 'matter', id, body: 'x' }),
    ]),
    ...world.triedFields.map((field) =>
      call('update_record', { object: 'matter', id: world.victims[2 * at], data: { [field]: 'x' } }),
    ),
    call('run_flow', { flow: 'none' }),
  ],
  'mcp metadata plans': () =>
    ['matter', 'vault'].map((name) =>
      call('plan_metadata_change', { type: 'object', name, item: { name, fields: {} } }),
    ),
}
