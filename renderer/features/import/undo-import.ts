// Owns taking an import back: asks first, then lets the host do it; the job says how far it is and what it kept.
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { deleteObject } from '../objects/index.ts'
import { takeJob } from './job-queries.ts'
import type { ImportJob } from './job-queries.ts'

/** Undoes an import after asking; the job's own screen shows the rest. Answers whether it has begun. */
export async function undoImport(client: QueryClient, job: ImportJob, label: string): Promise<boolean> {
  const sentences = [
    ...(job.created > 0 ? [tn('import.undo.created', job.created, { object: label })] : []),
    ...(job.updated > 0 ? [tn('import.undo.updated', job.updated, { object: label })] : []),
    t('import.undo.kept'),
  ]
  const yes = await confirmAction({
    title: t('import.undo.records.title'),
    body: sentences.join(' '),
    confirmLabel: t('import.undo.records.confirm'),
  })
  if (!yes) return false
  try {
    await takeJob(client, await call('undoImportJob', { params: { jobId: job.jobId } }))
    return true
  } catch (error) {
    showProblem(error)
    return false
  }
}

/** Deletes the object an import has made, after asking. Answers whether it was done. */
export async function undoNewTable(client: QueryClient, job: ImportJob, label: string): Promise<boolean> {
  const yes = await confirmAction({
    title: t('import.undo.title'),
    body: tn('import.undo.body', job.created, { object: label }),
    confirmLabel: t('import.undo.confirm'),
  })
  if (!yes) return false
  try {
    await deleteObject(client, job.object)
    navigate('/')
    showToast({ message: t('import.report.undone') })
    return true
  } catch (error) {
    showProblem(error)
    return false
  }
}
