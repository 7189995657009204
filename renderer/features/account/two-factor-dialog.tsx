// Owns the steps of changing the second factor: password, then the key for the app with a first code, then the backup
// codes, which are shown once.
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode, SyntheticEvent } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { QrPicture } from '../../components/qr-picture.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import classes from './account.module.css'

/** What the dialog is opened for. */
export type TwoFactorTask = 'enable' | 'disable' | 'codes'

interface Step {
  totpUri?: string
  backupCodes: readonly string[]
  verified: boolean
}

interface TwoFactorDialogProps {
  /** Undefined shows nothing. */
  task: TwoFactorTask | undefined
  onClose: () => void
  /** Called at the end; `message` tells what changed. */
  onDone: (message: string | undefined) => void
}

/** The dialog. What it was told is forgotten when it closes. */
export function TwoFactorDialog(props: TwoFactorDialogProps) {
  const { task } = props
  return (
    <Dialog
      opened={task !== undefined}
      onClose={props.onClose}
      title={t(`twoFactor.dialog.${task ?? 'enable'}`)}
      closeOnClickOutside={false}
    >
      {task !== undefined && <Steps key={task} {...props} task={task} />}
    </Dialog>
  )
}

function Steps(props: TwoFactorDialogProps & { task: TwoFactorTask }) {
  const { task, onClose, onDone } = props
  const [step, setStep] = useState<Step>()

  const confirm = async (password: string): Promise<void> => {
    const body = { password }
    if (task === 'disable') {
      await call('disableTwoFactor', { body })
      onDone(t('twoFactor.disabled'))
      return
    }
    if (task === 'codes') {
      const { backupCodes } = await call('generateBackupCodes', { body })
      setStep({ backupCodes, verified: true })
      return
    }
    const { totpURI, backupCodes } = await call('enableTwoFactor', { body })
    setStep({ totpUri: totpURI, backupCodes: backupCodes ?? [], verified: false })
  }

  if (!step) return <PasswordStep dangerous={task === 'disable'} onClose={onClose} onConfirm={confirm} />
  if (!step.verified && step.totpUri !== undefined) {
    return <CodeStep uri={step.totpUri} onClose={onClose} onVerified={() => setStep({ ...step, verified: true })} />
  }
  return (
    <BackupCodes
      codes={step.backupCodes}
      onDone={() => onDone(task === 'enable' ? t('twoFactor.enabled') : undefined)}
    />
  )
}

function PasswordStep(props: {
  dangerous: boolean
  onClose: () => void
  onConfirm: (password: string) => Promise<void>
}) {
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setProblem(undefined)
    if (password === '') {
      setWrong(t('password.current.missing'))
      return
    }
    setBusy(true)
    try {
      await props.onConfirm(password)
    } catch (error) {
      setPassword('')
      if (hasCode(error, 'invalid_credentials')) setWrong(t('password.current.wrong'))
      else setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={parts.stack}>
      <PasswordField
        label={t('twoFactor.password')}
        kind="current-password"
        value={password}
        error={wrong}
        autoFocus
        onChange={(value) => {
          setWrong(undefined)
          setPassword(value)
        }}
      />
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <Buttons onClose={props.onClose}>
        <Button type="submit" color={props.dangerous ? 'red' : undefined} loading={busy}>
          {t('word.goOn')}
        </Button>
      </Buttons>
    </form>
  )
}

function CodeStep(props: { uri: string; onClose: () => void; onVerified: () => void }) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    const entered = code.replaceAll(/\s/g, '')
    if (entered === '') {
      setProblem(t('factor.code.missing'))
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      await call('verifyTotp', { body: { code: entered } })
      props.onVerified()
    } catch (error) {
      setCode('')
      setProblem(
        hasCode(error, 'invalid_credentials', 'token_invalid') ? t('twoFactor.code.wrong') : problemText(error),
      )
    } finally {
      setBusy(false)
    }
  }
  const key = new URL(props.uri).searchParams.get('secret') ?? ''
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={parts.stack}>
      <p className={parts.lead}>{t('twoFactor.scan')}</p>
      <QrPicture text={props.uri} label={t('twoFactor.qr')} />
      <CopyField label={t('word.key')} value={key} />
      <a href={props.uri} className={parts.start}>
        {t('twoFactor.link')}
      </a>
      <TextInput
        label={t('twoFactor.code')}
        value={code}
        error={problem}
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Buttons onClose={props.onClose}>
        <Button type="submit" loading={busy}>
          {t('twoFactor.verify')}
        </Button>
      </Buttons>
    </form>
  )
}

function BackupCodes(props: { codes: readonly string[]; onDone: () => void }) {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.codes.join('\n'))
      setCopied(true)
    } catch {
      setCopied(false) // the browser keeps the clipboard closed; the codes can be selected
    }
  }
  return (
    <div className={parts.stack}>
      <p className={parts.lead}>{t('twoFactor.backup.lead')}</p>
      <ul className={classes.codes} aria-label={t('twoFactor.backup')}>
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group justify="space-between">
        <Button variant="default" onClick={() => void copy()}>
          {copied ? t('app.copied') : t('twoFactor.backup.copy')}
        </Button>
        <Button onClick={props.onDone} autoFocus>
          {t('twoFactor.backup.done')}
        </Button>
      </Group>
    </div>
  )
}

function Buttons(props: { onClose: () => void; children: ReactNode }) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={props.onClose}>
        {t('app.cancel')}
      </Button>
      {props.children}
    </Group>
  )
}
