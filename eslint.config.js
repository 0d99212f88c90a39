// What is a mistake or makes one likely. How code is laid out is Prettier's, what names and types mean is tsc's.

import js from '@eslint/js';
import stylistic from '@stylistic/eslint-plugin';
import { resolveConfig } from 'prettier';

const options = await resolveConfig(import.meta.filename, { editorconfig: true });

export default [
  {
    ignores: [
      'build/',
      'dist/',
      'element/',
      'web/lib/core/',
      'web/lib/types/',
      'web/lib/inline.js',
      'web/plain/attention-or-dense/data/'
    ]
  },
  js.configs.recommended,
  {
    plugins: { stylistic },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-undef': 'off', // tsc
      'no-control-regex': 'off', // tests look for control characters in messages
      'no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_', varsIgnorePattern: '^_$' }],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'prefer-arrow-callback': 'error',
      'object-shorthand': 'error',
      'array-callback-return': 'error',
      'default-case-last': 'error',
      'no-else-return': 'error',
      'no-implicit-coercion': 'error',
      'no-lonely-if': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unneeded-ternary': 'error',
      'no-useless-computed-key': 'error',
      'no-useless-rename': 'error',
      'no-useless-return': 'error',
      'prefer-object-has-own': 'error',
      'prefer-rest-params': 'error',
      'prefer-spread': 'error',
      // What Prettier cannot break: comments are broken by hand; a string stays in one piece, to be found by its words.
      'stylistic/max-len': [
        'error',
        {
          code: options.printWidth,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true
        }
      ]
    }
  },
  {
    // What web/plain/ may name: JavaScript's own, and of the web platform only what every host has.
    files: ['web/plain/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['CustomEvent', 'EventTarget', 'TextDecoder', 'TextEncoder', 'URLSearchParams', 'performance'].map((name) => [
          name,
          'readonly'
        ])
      )
    },
    rules: {
      'no-undef': 'error',
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!\\./|\\.\\./((labs|tables|train|data)/)?[\\w-]+\\.js$)',
              message: 'web/plain/ imports itself.'
            }
          ]
        }
      ]
    }
  }
];
