// Owns starting a flow by hand: with a record to try it on, and with parameters. A draft is tried the same way.
import { NativeSelect, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { t } from '../../lib/strings.ts'
import { listOf, textOf } from '../../lib/text-of.ts'
import { displayFieldOf, objectLabel, useObjects } from '../objects/index.ts'
import { readJson } from './run-inputs.ts'

type Flow = CallResult<'getFlow'>

interface StartDialogProps {
  /** Undefined shows nothing. */
  flow: Flow | undefined
  onClose: () => void
  onStarted: (runId: string) => void
}

/** The dialog. */
export function StartDialog(props: StartDialogProps) {
  const { flow } = props
  return (
    <Dialog
      opened={flow !== undefined}
      onClose={props.onClose}
      title={t('flows.start.title', { flow: flow?.label ?? '' })}
      closeOnClickOutside={false}
    >
      {flow && <StartForm {...props} flow={flow} />}
    </Dialog>
  )
}

/** The object whose records start a flow; '' for none. */
function objectOf(flow: Flow): string {
  const start = listOf(flow, 'nodes').find((node) => node['type'] === 'start')
  const config = start?.['config']
  return typeof config === 'object' && config !== null ? textOf(config, 'object') : ''
}

function StartForm(props: StartDialogProps & { flow: Flow }) {
  const { flow } = props
  const { data: objects = [] } = useObjects()
  const [object, setObject] = useState(() => objectOf(flow))
  const [recordId, setRecordId] = useState('')
  const [text, setText] = useState('')
  const params = readJson(text)
  const isMap = params.value === undefined || (typeof params.value === 'object' && !Array.isArray(params.value))
  const { data: records = [] } = useQuery({
    queryKey: ['automation', 'samples', object] as const,
    queryFn: async ({ signal }) =>
      (await call('listRecords', { params: { object }, query: { top: 50, sort: '-updated_at' }, signal })).records,
    enabled: object !== '',
  })
  const item = objects.find(({ name }) => name === object)
  const shown = item && displayFieldOf(item)
  const start = async (): Promise<void> => {
    const { runId } = await call('triggerFlow', {
      params: { name: flow.name },
      query: { async: true },
      body: {
        ...(recordId === '' ? {} : { object, recordId }),
        params: (params.value ?? {}) as Record<string, unknown>,
      },
    })
    props.onStarted(runId)
  }
  return (
    <DialogForm submit={t('word.run')} ready={params.ok && isMap} onClose={props.onClose} onSubmit={start}>
      {(tried) => (
        <>
          {flow.status === 'draft' && <p>{t('flows.start.draft')}</p>}
          <NativeSelect
            label={t('flows.start.object')}
            value={object}
            data={[
              { value: '', label: t('flows.start.noRecord') },
              ...objects.map((each) => ({ value: each.name, label: objectLabel(each) })),
            ]}
            onChange={(event) => {
              setObject(event.currentTarget.value)
              setRecordId('')
            }}
          />
          {object !== '' && (
            <NativeSelect
              label={t('word.record')}
              description={t('flows.start.record.help')}
              value={recordId}
              data={[
                { value: '', label: t('flows.start.noRecord') },
                ...records.map((record) => ({
                  value: textOf(record, 'id'),
                  label: (shown && textOf(record, shown)) || textOf(record, 'id'),
                })),
              ]}
              onChange={(event) => setRecordId(event.currentTarget.value)}
            />
          )}
          <Textarea
            label={t('flows.start.params')}
            description={t('flows.start.params.help')}
            value={text}
            error={tried && !(params.ok && isMap) ? t('runs.json.wrong') : undefined}
            autosize
            minRows={2}
            spellCheck={false}
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
    </DialogForm>
  )
}
