// Owns letting a paused run go on: the form it waits with, or what it goes on with as JSON.
import { Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemAt } from '../../lib/field-problems.ts'
import { t } from '../../lib/strings.ts'
import { runScreenQuery, runsKey } from './automation-queries.ts'
import type { Run } from './automation-queries.ts'
import { inputOf, readJson, screenFieldsOf } from './run-inputs.ts'
import type { ScreenField } from './run-inputs.ts'
import { waitText } from './run-words.ts'

/** The dialog; undefined shows nothing. */
export function ResumeDialog(props: { run: Run | undefined; onClose: () => void }) {
  const { run } = props
  return (
    <Dialog
      opened={run !== undefined}
      onClose={props.onClose}
      title={t('runs.resume.title')}
      closeOnClickOutside={false}
    >
      {run &&
        (run.waitingFor?.['type'] === 'screen' ? (
          <ScreenForm {...props} run={run} />
        ) : (
          <FreeForm {...props} run={run} />
        ))}
    </Dialog>
  )
}

interface FormProps {
  run: Run
  onClose: () => void
}

function useResume({ run, onClose }: FormProps) {
  const client = useQueryClient()
  return async (body: { inputs?: Record<string, unknown>; output?: unknown }): Promise<void> => {
    await call('resumeRun', { params: { name: run.flowName, runId: run.id }, body })
    onClose()
    await client.invalidateQueries({ queryKey: runsKey(run.flowName) })
  }
}

function ScreenForm(props: FormProps) {
  const { run, onClose } = props
  const { data: screen, error, refetch } = useQuery(runScreenQuery(run.flowName, run.id))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [refusal, setRefusal] = useState<unknown>()
  const resume = useResume(props)
  if (error && !screen) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!screen) return null
  const fields = screenFieldsOf(screen.fields)
  const problems = refusal instanceof ApiError ? refusal.fieldErrors : []
  const send = async (): Promise<void> => {
    try {
      await resume({ inputs: inputOf(fields, texts) })
    } catch (failure) {
      setRefusal(failure)
      throw failure
    }
  }
  return (
    <DialogForm
      submit={screen.submitLabel ?? t('runs.resume.submit')}
      ready
      describe={() => (problems.length > 0 ? t('problem.validation_error') : undefined)}
      onClose={onClose}
      onSubmit={send}
    >
      {() => (
        <>
          {screen.title !== undefined && <p>{screen.title}</p>}
          {fields.map((field) => (
            <ScreenInput
              key={field.name}
              field={field}
              value={texts[field.name] ?? field.first}
              problem={problemAt(problems, field.name) ?? problemAt(problems, `inputs.${field.name}`)}
              onChange={(text) => setTexts({ ...texts, [field.name]: text })}
            />
          ))}
        </>
      )}
    </DialogForm>
  )
}

function ScreenInput(props: {
  field: ScreenField
  value: string
  problem: string | undefined
  onChange: (text: string) => void
}) {
  const { field, value, problem, onChange } = props
  const shared = { label: field.label, error: problem, required: field.required, value }
  if (field.type === 'boolean')
    return (
      <Checkbox
        label={field.label}
        error={problem}
        checked={value === 'true'}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    )
  if (field.type === 'select')
    return (
      <NativeSelect
        {...shared}
        data={[{ value: '', label: t('pairs.choose') }, ...field.options]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  if (field.type === 'textarea')
    return <Textarea {...shared} rows={3} onChange={(event) => onChange(event.currentTarget.value)} />
  const types: Readonly<Record<string, string>> = { date: 'date', datetime: 'datetime-local' }
  return (
    <TextInput
      {...shared}
      type={types[field.type] ?? 'text'}
      description={field.type === 'multiselect' ? t('runs.resume.several') : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function FreeForm(props: FormProps) {
  const { run, onClose } = props
  const [text, setText] = useState('')
  const output = readJson(text)
  const resume = useResume(props)
  const send = async (): Promise<void> => resume(text.trim() === '' ? {} : { output: output.value })
  return (
    <DialogForm submit={t('runs.resume.submit')} ready={output.ok} onClose={onClose} onSubmit={send}>
      {(tried) => (
        <>
          <p className={parts.quiet}>{waitText(run.waitingFor)}</p>
          <Textarea
            label={t('runs.resume.output')}
            description={t('runs.resume.output.help')}
            value={text}
            error={tried && !output.ok ? t('runs.json.wrong') : undefined}
            autosize
            minRows={2}
            spellCheck={false}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
    </DialogForm>
  )
}
