// A notification as tests read it from an answer.

/** See D-177. */
export interface Notice {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly body: string
  readonly read: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly actionUrl?: string
  readonly createdAt: string
  readonly readAt?: string
}
