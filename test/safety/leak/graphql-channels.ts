// GraphQL: the schema, introspection, queries by every place a field may stand in, writes, and what errors say.
import { getIntrospectionQuery } from 'graphql'
import type { ChannelCases, LeakCase } from './leak-case.ts'
import { absentId, get, post } from './leak-case.ts'

const ask = (query: string, variables?: object): LeakCase =>
  post('/graphql', { query, ...(variables === undefined ? {} : { variables }) })

const records = 'id name code body stage amount due keeperId keeper { id name } vaultedId regionId region { name }'

/** A name that is nearly the field's: what is suggested in its place must be known. */
const nearly = (field: string): string => field.slice(0, -1)

export const graphqlChannels: Readonly<Record<string, ChannelCases>> = {
  'graphql schema': () => [
    get('/graphql/schema'),
    get('//api/graphql/schema'),
    ask(getIntrospectionQuery()),
    ask('{ __type(name: "Vault") { name fields { name } } }'),
    ask('{ __type(name: "MatterWhere") { inputFields { name } } }'),
    ask('{ __type(name: "MatterField") { enumValues { name } } }'),
  ],
  'graphql queries': (world) => [
    ask(`{ matterList(top: 1000) { records { ${records} } total hasMore } }`),
    ask('{ personList(top: 1000) { records { id name matters { id name } } total } }'),
    ask('{ vaultList(top: 1000) { records { id name vault_matters { id name } } total } }'),
    ask('{ matter_line: matterLineList(top: 1000) { records { id name } total } }'),
    ask(`{ matterList(deleted: include, top: 1000) { records { ${records} } total } }`),
    ask(`{ matterList(search: "alpha", top: 1000) { records { ${records} } total } }`),
    ...[...world.hidden, world.hiddenDeleted, absentId].map((id) => ask(`{ matter(id: "${id}") { ${records} } }`)),
    ask(`{ person(id: "${world.hiddenPerson}") { id name } }`),
    ask(`{ vault(id: "${world.vaults[0]}") { id name } }`),
    ask('{ matterAggregate(groupBy: ["stage"], measures: ["count", "amount.sum"]) }'),
    ...world.triedFields.flatMap((field) => [
      ask(`{ matterList(top: 1000) { records { id ${field} } } }`),
      ask(`{ matterList { records { id ${nearly(field)} } } }`),
      ask(`{ matterList(where: {${field}: {isNull: false}}) { total } }`),
      ask(`{ matterList(where: {${nearly(field)}: {isNull: false}}) { total } }`),
      ask(`{ matterList(orderBy: [{field: ${field}}]) { hasMore } }`),
      ask(`{ matterList(orderBy: [{field: ${nearly(field)}}]) { hasMore } }`),
      ask(`{ matterAggregate(groupBy: ["${field}"], measures: ["count"]) }`),
      ask('query ($where: MatterWhere) { matterList(where: $where) { total } }', {
        where: { [field]: { isNull: true } },
      }),
    ]),
    ask(`{ matterList(where: {keeper: {${world.personField}: {isNull: false}}}) { total } }`),
    ask('{ matterList(where: {vaulted: {name: {isNull: false}}}) { total } }'),
    get(`/graphql?query=${encodeURIComponent(`{ matterList(top: 1000) { records { ${records} } } }`)}`, {
      'x-requested-with': 'leak',
    }),
    get(`//api/graphql?query=${encodeURIComponent('{ personList { records { name } } }')}`, {
      'x-requested-with': 'leak',
    }),
    post('//api/graphql', { query: `{ matterList(top: 1000) { records { ${records} } } }` }),
  ],
  'graphql writes': (world, role, at) => [
    ask(`mutation { createMatter(data: {name: "By graph ${role}", stage: "open"}) { ${records} } }`),
    ask(`mutation { createMatter(data: {name: "x", stage: "open", keeperId: "${world.hiddenPerson}"}) { id } }`),
    ask(`mutation { createMatter(data: {name: "x", stage: "open", vaulted: "${world.vaults[0]}"}) { id } }`),
    ask('mutation { createMatters(records: [{name: "x", amount: 1}, {stage: "no option"}]) { id } }'),
    ask(
      `mutation { updateMatter(id: "${world.victims[2 * at]}", data: {body: "changed"}, expectedVersion: "2001-01-01T00:00:00Z") { id } }`,
    ),
    ...[...world.hidden, world.hiddenDeleted].flatMap((id) => [
      ask(`mutation { updateMatter(id: "${id}", data: {body: "x"}) { ${records} } }`),
      ask(`mutation { deleteMatter(id: "${id}") { id success } }`),
      ask(`mutation { restoreMatter(id: "${id}") { id } }`),
      ask(`mutation { upsertMatter(id: "${id}", data: {name: "x", stage: "open"}) { id } }`),
    ]),
    ...world.triedFields.map((field) =>
      ask(`mutation { updateMatter(id: "${world.victims[2 * at]}", data: {${field}: "x"}) { id } }`),
    ),
  ],
  'graphql unique conflict': (world) =>
    world.guesses.map((guess) =>
      ask(`mutation { createMatter(data: {name: "x", stage: "open", code: "${guess}"}) { id } }`),
    ),
}
