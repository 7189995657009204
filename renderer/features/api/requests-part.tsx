// Owns the requests behind a view: the same records in every language, to be copied and to be tried.
import { Button } from '@mantine/core'
import { IconKey, IconPlayerPlay, IconTable } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSearch } from 'wouter'
import { CodeText } from '../../components/code-text.tsx'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { TabbedParts } from '../../components/tab-list.tsx'
import { call, request } from '../../lib/api-client.ts'
import { connection } from '../../lib/bridge.ts'
import { navigate } from '../../lib/hash-location.ts'
import { tablePath } from '../../lib/record-address.ts'
import { t } from '../../lib/strings.ts'
import type { ObjectItem } from '../objects/index.ts'
import {
  buildGroup,
  filterWords,
  inOwnWords,
  readQuery,
  useFieldContext,
  useShownFields,
  writeQuery,
} from '../records/index.ts'
import { apiPath } from './api-places.ts'
import { askedFields } from './asked-fields.ts'
import type { AskedRecords } from './asked-records.ts'
import { AttemptResult } from './attempt-result.tsx'
import { ObjectChoice } from './object-choice.tsx'
import { exampleKinds, requestExample, restQuery } from './request-examples.ts'
import type { ExampleKind } from './request-examples.ts'
import { useAttempt } from './use-attempt.ts'

/** Records an example asks for. */
const askedTop = 50

/** The part; what the address says of a view is what the requests ask for. */
export function RequestsPart(props: { object: string | undefined }) {
  return (
    <ObjectChoice name={props.object} onChoose={(name) => navigate(apiPath('requests', name))}>
      {(object, choice) => (
        <>
          <div className={parts.bar}>{choice}</div>
          <Requests key={object.name} object={object} />
        </>
      )}
    </ObjectChoice>
  )
}

function Requests(props: { object: ObjectItem }) {
  const { object } = props
  const address = useSearch()
  const columns = useMemo(() => new URLSearchParams(address).get('c')?.split(','), [address])
  const context = useFieldContext()
  const fields = useShownFields(object)
  const found = useMemo(() => readQuery(address), [address])
  const query = useMemo(() => inOwnWords(found, fields, context), [found, fields, context])
  const { data: place } = useQuery({ queryKey: ['api-connection'], queryFn: connection, staleTime: 0 })
  const [kind, setKind] = useState<ExampleKind>('rest')
  const { attempt, busy, send, forget } = useAttempt()
  if (!place) return null

  const asked: AskedRecords = {
    baseUrl: place.baseUrl,
    prefix: place.prefix,
    object: object.name,
    fields: askedFields(fields, columns),
    filter: query.filter && buildGroup(query.filter, fields, context),
    sort: query.sort,
    search: query.search,
    top: askedTop,
    timeZone: context.timeZone,
  }
  const text = requestExample(kind, asked)
  const words = query.filter && filterWords(query.filter, fields, context)
  const view = writeQuery({ ...query, view: '' })
  return (
    <>
      <p className={parts.lead}>
        {words === undefined ? t('api.requests.all') : t('api.requests.where', { conditions: words })}
        {query.search !== '' && ` ${t('api.requests.search', { words: query.search })}`}
        {query.sort.length > 0 && ` ${t('api.requests.sorted')}`}
      </p>
      <div className={parts.actions}>
        <Button
          component="a"
          variant="default"
          size="xs"
          href={`#${tablePath(object.name, { view })}`}
          leftSection={<IconTable size={14} aria-hidden />}
        >
          {t('word.showAsTable')}
        </Button>
        <Button
          component="a"
          variant="default"
          size="xs"
          href="#/account/keys"
          leftSection={<IconKey size={14} aria-hidden />}
        >
          {t('api.keys')}
        </Button>
      </div>
      <TabbedParts
        label={t('api.languages')}
        tabs={exampleKinds.map((key) => ({ key, label: t(`api.language.${key}`) }))}
        chosen={kind}
        onChoose={(key) => {
          setKind(key as ExampleKind)
          forget()
        }}
      >
        <div className={parts.section}>
          {text === null ? (
            <Notice tone="info">{t('api.requests.noWords', { language: t(`api.language.${kind}`) })}</Notice>
          ) : (
            <>
              <CodeText label={t(`api.language.${kind}`)} text={text} />
              <p className={parts.lead}>{t(`api.language.${kind}.help`)}</p>
              <div className={parts.actions}>
                <Button
                  loading={busy}
                  leftSection={<IconPlayerPlay size={16} aria-hidden />}
                  onClick={() => void send(async () => run(kind, asked, text))}
                >
                  {t('word.run')}
                </Button>
              </div>
              <AttemptResult attempt={attempt} />
            </>
          )}
        </div>
      </TabbedParts>
    </>
  )
}

/** Runs what an example asks for with the session of this page; programs send the request of HTTP. */
async function run(kind: ExampleKind, asked: AskedRecords, text: string): Promise<unknown> {
  if (kind === 'graphql') return call('runGraphql', { body: { query: text } })
  if (kind === 'odata') return request('GET', text.slice(asked.baseUrl.length), undefined)
  return call('queryRecords', { params: { object: asked.object }, body: restQuery(asked) })
}
