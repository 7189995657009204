// Owns sending files to the host: small ones at once, others in chunks that can be paused, and how far each has come. Knows
// no field and no screen.
import { storageLimits } from './storage-limits.ts'
import { call, upload } from './api-client.ts'
import type { CallResult } from './endpoints.ts'

/** A file as records name it. */
export interface FileReference {
  fileId: string
  name: string
  mimeType: string
  size: number
}

/** How an upload stands. */
export type UploadStatus = 'sending' | 'paused' | 'done' | 'failed' | 'cancelled'

/** What is shown of an upload; a new object with every change. */
export interface UploadState {
  readonly key: string
  readonly name: string
  readonly size: number
  /** Bytes the host has. */
  readonly sent: number
  readonly status: UploadStatus
  /** Whether it can be paused: it is sent in chunks. */
  readonly pausable: boolean
  /** What it failed with. */
  readonly problem?: unknown
}

/** An upload on its way. */
export interface Upload {
  readonly key: string
  state(): UploadState
  /** The stored file; rejects with what it failed with, and with AbortError when it is cancelled. */
  readonly done: Promise<FileReference>
  pause(): void
  /** Goes on where it was paused, or tries again what failed. */
  resume(): void
  cancel(): void
}

let serial = 0

/**
 * Starts to send a file, readable for whoever reads the record that will name it.
 * @param onChange called with every change of its state
 */
export function startUpload(file: File, onChange: (state: UploadState) => void): Upload {
  const key = `upload-${(serial += 1)}`
  const pausable = file.size > storageLimits.chunkBytes
  let state: UploadState = { key, name: file.name, size: file.size, sent: 0, status: 'sending', pausable }
  let stop = new AbortController()
  let chunked: CallResult<'startChunkedUpload'> | undefined
  let next = 0
  let settle: { resolve(file: FileReference): void; reject(error: unknown): void }
  const done = new Promise<FileReference>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // Whoever shows the state need not wait for the end.
  done.catch(() => undefined)

  const become = (change: Partial<UploadState>): void => {
    state = { ...state, ...change }
    onChange(state)
  }
  const mimeType = file.type === '' ? 'application/octet-stream' : file.type

  const sendWhole = async (signal: AbortSignal): Promise<FileReference> => {
    const query = { filename: file.name, scope: 'private' }
    return upload('uploadFile', { params: {}, query, file: new Blob([file], { type: mimeType }), signal })
  }
  const sendChunks = async (signal: AbortSignal): Promise<FileReference> => {
    const chunkSize = storageLimits.chunkBytes
    chunked ??= await call('startChunkedUpload', {
      body: { filename: file.name, mimeType, scope: 'private', totalSize: file.size, chunkSize },
      signal,
    })
    const { uploadId, resumeToken, totalChunks } = chunked
    while (next < totalChunks) {
      const part = file.slice(next * chunkSize, (next + 1) * chunkSize, 'application/octet-stream')
      const params = { uploadId, chunkIndex: String(next) }
      await upload('putChunk', { params, query: { resumeToken }, file: part, signal })
      next += 1
      become({ sent: Math.min(next * chunkSize, file.size) })
    }
    return call('completeChunkedUpload', { params: { uploadId }, body: { parts: [] }, signal })
  }
  const run = async (): Promise<void> => {
    stop = new AbortController()
    const { signal } = stop
    become({ status: 'sending', problem: undefined })
    try {
      const stored = await (pausable ? sendChunks(signal) : sendWhole(signal))
      become({ sent: file.size, status: 'done' })
      const { fileId, name, size } = stored
      settle.resolve({ fileId, name, size, mimeType: stored.mimeType })
    } catch (error) {
      // Paused and cancelled ones say so themselves.
      if (!signal.aborted) become({ status: 'failed', problem: error })
    }
  }
  void run()
  return {
    key,
    state: () => state,
    done,
    pause() {
      if (state.status !== 'sending' || !pausable) return
      stop.abort()
      become({ status: 'paused' })
    },
    resume() {
      if (state.status === 'paused' || state.status === 'failed') void run()
    },
    cancel() {
      if (state.status === 'done' || state.status === 'cancelled') return
      stop.abort()
      become({ status: 'cancelled' })
      settle.reject(new DOMException('The upload was cancelled.', 'AbortError'))
      // What the host has of it goes with its time if this is not heard.
      if (chunked) void call('abortChunkedUpload', { params: { uploadId: chunked.uploadId } }).catch(() => undefined)
    },
  }
}
