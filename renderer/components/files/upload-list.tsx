// Owns showing files on their way: how far each is, and the ways to pause, go on, try again and cancel.
import { ActionIcon, Progress } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react'
import { hasCode } from '../../lib/api-error.ts'
import { formatSize } from '../../lib/file-size.ts'
import type { UploadState } from '../../lib/file-uploads.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import type { Uploads } from '../../lib/use-uploads.ts'
import classes from './files.module.css'

/** The list; nothing while nothing is on its way. */
export function UploadList({ uploads }: { uploads: Uploads }) {
  if (uploads.states.length === 0) return null
  return (
    <ul className={classes.uploads} aria-label={t('files.sending')}>
      {uploads.states.map((state) => (
        <li key={state.key} className={classes.upload}>
          <UploadLine state={state} uploads={uploads} />
        </li>
      ))}
    </ul>
  )
}

function UploadLine({ state, uploads }: { state: UploadState; uploads: Uploads }) {
  const { key, name, size, sent, status, pausable } = state
  const percent = size === 0 ? 0 : Math.round((sent / size) * 100)
  const isFailed = status === 'failed'
  return (
    <>
      <span className={classes.uploadName}>{name}</span>
      <span className={classes.uploadFacts} role={isFailed ? 'alert' : undefined} data-bad={isFailed || undefined}>
        {isFailed ? uploadProblem(state.problem) : uploadFacts(state)}
      </span>
      <span className={classes.uploadActs}>
        {pausable && status === 'sending' && (
          <Act label={t('files.pause', { name })} icon={IconPlayerPause} onClick={() => uploads.pause(key)} />
        )}
        {status === 'paused' && (
          <Act label={t('files.resume', { name })} icon={IconPlayerPlay} onClick={() => uploads.resume(key)} />
        )}
        {isFailed && <Act label={t('files.retry', { name })} icon={IconRefresh} onClick={() => uploads.resume(key)} />}
        <Act label={t('files.cancel', { name })} icon={IconX} onClick={() => uploads.cancel(key)} />
      </span>
      <Progress.Root size={4} className={classes.bar}>
        <Progress.Section
          value={pausable ? percent : status === 'sending' ? 100 : 0}
          animated={!pausable && status === 'sending'}
          color={isFailed ? 'red' : undefined}
          aria-label={t('files.progress', { name })}
        />
      </Progress.Root>
    </>
  )
}

function Act(props: { label: string; icon: typeof IconX; onClick: () => void }) {
  const { label, icon: Icon, onClick } = props
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      c="var(--cairn-text-quiet)"
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <Icon size={14} />
    </ActionIcon>
  )
}

function uploadFacts({ size, sent, status, pausable }: UploadState): string {
  const far = pausable ? t('files.sent', { sent: formatSize(sent), size: formatSize(size) }) : formatSize(size)
  return status === 'paused' ? `${far}, ${t('files.status.paused')}` : far
}

/** Why a file did not arrive, on this machine or from another one, in words for people. */
export function uploadProblem(error: unknown): string {
  if (hasCode(error, 'file_type_not_allowed')) return t('files.problem.type')
  if (hasCode(error, 'file_too_large', 'payload_too_large')) return t('files.problem.size')
  if (hasCode(error, 'storage_quota_exceeded')) return t('files.problem.quota')
  if (hasCode(error, 'file_not_found', 'upload_not_found', 'upload_expired')) return t('files.problem.gone')
  const elsewhere = elsewhereProblem(error)
  return elsewhere ?? problemText(error)
}

/** That the bytes of a file are on a machine that cannot give them now. */
function elsewhereProblem(error: unknown): string | undefined {
  if (!hasCode(error, 'service_unavailable')) return undefined
  const { reason, machine } = error.details
  if (reason === 'file_refused') return t('filePlace.problem.refused')
  if (reason !== 'file_elsewhere') return undefined
  return typeof machine === 'string' ? t('filePlace.problem.of', { machine }) : t('filePlace.problem')
}
