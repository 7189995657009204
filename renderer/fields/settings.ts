// Owns how the settings of a field are told to the designer: what each type's entry lists. Knows no type and no screen; the
// words are in lib/strings/designer.ts under `setting.<path>`.

/** How a setting is entered. */
export type SettingKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'flag'
  | 'words'
  | 'choice'
  | 'object'
  | 'objects'
  | 'options'
  | 'formula'
  | 'summary'
  | 'inner'

/** One setting of a type. */
export interface Setting {
  /** Path in the definition, dotted below nested settings. */
  path: string
  kind: SettingKind
  /** Values of a choice; the first is what applies when none is given. */
  choices?: readonly string[]
  /** The platform refuses the definition without it. */
  needed?: boolean
}

/** Makes a setting. */
export const setting = (path: string, kind: SettingKind, more: Partial<Setting> = {}): Setting => ({
  path,
  kind,
  ...more,
})

/** Lengths of a text. */
export const longTextSettings = [setting('minLength', 'integer'), setting('maxLength', 'integer')]

/** Lengths and form of a text. */
export const lengthSettings = [...longTextSettings, setting('pattern', 'text')]

/** Ends and step of a scale. */
export const scaleSettings = [setting('min', 'number'), setting('max', 'number'), setting('step', 'number')]

/** First and last day. */
export const daySettings = [setting('min', 'text'), setting('max', 'text')]

/** The choices of a field. */
export const optionsSetting = setting('options', 'options', { needed: true })

/** The object a link leads to. */
export const referenceSetting = setting('reference', 'object', { needed: true })

/** What the delete of a record does to those that link to it. */
export const deleteBehavior = (...choices: string[]): Setting => setting('deleteBehavior', 'choice', { choices })

/** What may be attached. */
export const fileSettings = [
  setting('multiple', 'flag'),
  setting('fileAttachmentConfig.maxSize', 'integer'),
  setting('fileAttachmentConfig.allowedTypes', 'words'),
]
