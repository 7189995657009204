// OData: the same records through options, paths, the model, batches and writes.
import type { ChannelCases, LeakCase } from './leak-case.ts'
import { ask, get, post } from './leak-case.ts'

const read = (set: string, options: Readonly<Record<string, string>> = {}): LeakCase => {
  const words = Object.entries(options).map(([name, value]) => `$${name}=${encodeURIComponent(value)}`)
  return get(`/odata/${set}${words.length === 0 ? '' : `?${words.join('&')}`}`)
}

export const odataChannels: Readonly<Record<string, ChannelCases>> = {
  OData: (world) => {
    const { seen, hidden, hiddenDeleted, vaults, hiddenPerson, hiddenLine } = world
    const first = seen[0]!
    return [
      get('/odata'),
      get('//api/odata'),
      get('/odata/$metadata'),
      get('/odata/$metadata?$format=json'),
      ...['matter', 'person', 'vault', 'matter_line'].flatMap((set) => [
        read(set, { top: '1000' }),
        read(set, { count: 'true', top: '0' }),
        get(`/odata/${set}/$count`),
      ]),
      ...[...seen, ...hidden, hiddenDeleted].flatMap((id) => [
        get(`/odata/matter(${id})`),
        get(`/odata/matter/${id}/name`),
        get(`/odata/matter(${id})/keeperRecord`),
      ]),
      ...vaults.map((id) => get(`/odata/vault(${id})`)),
      get(`/odata/person(${hiddenPerson})`),
      get(`/odata/matter_line(${hiddenLine})`),
      ...[
        "name ne ''",
        "contains(name,'qzk')",
        "not startswith(name,'zz')",
        'amount gt 7000000000',
        'amount ne null',
        "stage eq 'shut' or amount gt 1",
        'length(name) gt 0',
        "tolower(name) ne 'x'",
        "contains(keeper/name,'q')",
        'year(due) gt 2300',
      ].flatMap((filter) => [read('matter', { filter, top: '100' }), read('matter/$count', { filter })]),
      ...['name', 'amount desc', 'keeper/name', 'stage desc,due'].map((orderby) => read('matter', { orderby })),
      ...world.triedFields.flatMap((field) => [
        read('matter', { filter: `${field} ne null` }),
        read('matter', { filter: `length(${field}) gt 0` }),
        read('matter', { filter: `${field}/any()` }),
        read('matter', { filter: `name ne ${field}` }),
        read('matter', { orderby: field }),
        read('matter', { select: `name,${field}` }),
        read('matter', { expand: `${field}Record` }),
        read('matter', { apply: `groupby((${field}))` }),
        read('matter', { apply: `aggregate(${field} with max as most)` }),
        get(`/odata/matter(${first})/${field}`),
        get(`/odata/matter(${first})/${field}/$value`),
        ask(
          'PATCH',
          `/odata/matter(${first})`,
          { [field]: { nothing: true } },
          { 'if-match': '"2000-01-01T00:00:00.000Z"' },
        ),
      ]),
      read('matter', { expand: 'keeper,keeperRecord' }),
      read('matter', { expand: 'keeperRecord($filter=name ne null;$orderby=name)' }),
      read('matter', { expand: `keeper($select=${world.personField})` }),
      read('matter', { expand: 'vaulted' }),
      read('matter', { search: 'qzk' }),
      read('matter', {
        apply: 'groupby((stage),aggregate($count as n,amount with sum as total,amount with max as most))',
      }),
      read('matter', { apply: 'filter(amount gt 1)/aggregate($count as n)' }),
      read('matter', { apply: 'groupby((keeper/name))' }),
      ...[hidden[0]!, hiddenDeleted].flatMap((id) => [
        ask('PATCH', `/odata/matter(${id})`, { stage: 'open' }),
        ask('PUT', `/odata/matter(${id})`, { stage: 'nothing' }),
        ask('DELETE', `/odata/matter(${id})`),
      ]),
      post('/odata/matter', { stage: 'nothing' }),
      post(
        '/odata/$batch',
        {
          requests: [
            { id: '1', method: 'GET', url: 'matter?$top=1000' },
            { id: '2', method: 'GET', url: `matter(${hidden[0]})` },
            { id: '3', atomicityGroup: 'g', method: 'PATCH', url: `matter(${hidden[0]})`, body: { stage: 'open' } },
          ],
        },
        { prefer: 'continue-on-error' },
      ),
    ]
  },
}
