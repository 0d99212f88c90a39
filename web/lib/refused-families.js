// Reasons why a config.json is refused, by its type: for every type of transformers that no layer here is.
// The types are those of CONFIG_MAPPING in transformers. tests/torch/test_model_types.py holds the table against that
// mapping, and fails where a new version of transformers has other types.

import { isPlain, show } from './values.js';

/** The version of transformers whose types stand here and in families.js. */
export const TRANSFORMERS = '5.12.1';

/**
 * @typedef {Record<string, unknown>} Json
 * @typedef {{ why: string, types: string[], fits?: (json: Json) => boolean }} Refused `fits`: by what a file is of this
 *   kind whose type transformers lacks
 */

const words = (/** @type {string} */ text) => text.trim().split(/\s+/);

/** @type {Refused[]} */
const REFUSED = [
  {
    why: 'it is an encoder and a decoder, and attnscope sizes one stack of layers',
    types: words(`
      bart bigbird_pegasus blenderbot blenderbot-small encoder-decoder fsmt led longt5 m2m_100 marian mbart mt5 mvp
      nllb-moe nougat pegasus pegasus_x pix2struct plbart pop2piano prophetnet rag switch_transformers t5 t5gemma udop
      umt5 vision-encoder-decoder whisper`),
    fits: ({ is_encoder_decoder }) => is_encoder_decoder === true
  },
  {
    why: 'it reads images or video, alone or beside text, and attnscope sizes layers over text',
    types: words(`
      EvollaModel aimv2 aimv2_vision_model align align_vision_model altclip altclip_vision_model aria aya_vision beit
      bit blip blip-2 blip_2_vision_model blip_vision_model bridgetower bridgetower_vision_model chameleon
      chameleon_vqgan chinese_clip chinese_clip_vision_model chmv2 clip clip_vision_model clipseg clipseg_vision_model
      cohere2_vision colmodernvbert colpali colqwen2 conditional_detr convnext convnextv2 cosmos3_omni cvt d_fine
      dab-detr data2vec-vision deepseek_ocr2 deepseek_ocr2_encoder deepseek_ocr2_sam_vision_model deepseek_ocr2_vision
      deepseek_vl deepseek_vl_hybrid deformable_detr deimv2 deit depth_anything depth_pro detr diffusion_gemma dinat
      dinov2 dinov2_with_registers dinov3_convnext dinov3_vit donut-swin dpt edgetam edgetam_video
      edgetam_vision_model efficientloftr efficientnet emu3 emu3_vqgan eomt eomt_dinov3 ernie4_5_vl_moe
      ernie4_5_vl_moe_vision evolla exaone4_5 exaone4_5_vision fast_vlm flava flava_image_model florence2
      florence_vision focalnet fuyu gemma3n gemma3n_vision gemma4 gemma4_unified gemma4_unified_vision gemma4_vision
      git git_vision_model glm46v glm4v glm4v_moe glm4v_moe_vision glm4v_vision glm_image glm_image_vision
      glm_image_vqmodel glm_ocr glm_ocr_vision glmga glpn got_ocr2 granite4_vision grounding-dino groupvit
      groupvit_vision_model hgnet_v2 hiera idefics idefics2 idefics2_vision idefics3 idefics3_vision idefics_vision
      ijepa imagegpt instructblip instructblip_vision_model instructblipvideo instructblipvideo_vision_model internvl
      internvl_vision janus janus_vision_model janus_vqgan kosmos-2 kosmos-2.5 kosmos_2_5_vision_model
      kosmos_2_vision_model layoutlmv2 layoutlmv3 layoutxlm levit lfm2_vl lightglue lighton_ocr llama4
      llama4_vision_model llava llava_next llava_next_video llava_onevision lw_detr lw_detr_vit lxmert mask2former
      maskformer maskformer-swin metaclip_2 metaclip_2_vision_model mgp-str minicpmv4_6 minicpmv4_6_vision
      minimax_m3_vl minimax_m3_vl_vision mlcd mlcd_vision_model mllama mllama_vision_model mm-grounding-dino
      mobilenet_v1 mobilenet_v2 mobilevit mobilevitv2 modernvbert omdet-turbo oneformer ovis2 owlv2 owlv2_vision_model
      owlvit owlvit_vision_model paddleocr_vl paddleocr_vl_vision paligemma pe_video pe_video_encoder perceiver
      perception_lm phi4_multimodal phi4_multimodal_vision pi0 pix2struct_vision_model pixio pixtral poolformer
      pp_chart2table pp_doclayout_v2 pp_doclayout_v3 pp_formulanet pp_lcnet pp_lcnet_v3 pp_lcnet_v4
      pp_ocrv5_mobile_det pp_ocrv5_mobile_rec pp_ocrv5_server_det pp_ocrv5_server_rec pp_ocrv6_medium_det
      pp_ocrv6_small_det pp_ocrv6_small_rec pp_ocrv6_tiny_rec prompt_depth_anything pvt pvt_v2 qianfan_ocr
      qianfan_ocr_vision qwen2_5_omni qwen2_5_omni_thinker qwen2_5_omni_vision_encoder qwen2_5_vl_vision
      qwen2_vl_vision qwen3_5 qwen3_5_moe qwen3_5_moe_vision qwen3_5_vision qwen3_omni_moe qwen3_omni_moe_thinker
      qwen3_omni_moe_vision_encoder qwen3_vl_moe qwen3_vl_moe_vision qwen3_vl_vision regnet resnet rf_detr
      rf_detr_dinov2 rt_detr rt_detr_resnet rt_detr_v2 sam sam2 sam2_hiera_det_model sam2_video sam2_vision_model sam3
      sam3_detr_decoder sam3_detr_encoder sam3_geometry_encoder sam3_lite_text sam3_lite_text_detr_decoder
      sam3_lite_text_detr_encoder sam3_lite_text_geometry_encoder sam3_lite_text_mask_decoder sam3_mask_decoder
      sam3_tracker sam3_tracker_video sam3_video sam3_vision_model sam3_vit_model sam_hq sam_hq_vision_model
      sam_vision_model sapiens2 sapiens2_head segformer seggpt shieldgemma2 siglip siglip2 siglip2_vision_model
      siglip_vision_model slanet slanext smolvlm smolvlm_vision superglue superpoint swiftformer swin swin2sr swinv2
      t5gemma2 table-transformer textnet timesformer timm_backbone timm_wrapper tvp upernet uvdoc uvdoc_backbone
      video_llama_3 video_llama_3_vision video_llava videomae videomt vilt vipllava vision-text-dual-encoder
      visual_bert vit vit_mae vit_msn vitdet vitmatte vitpose vitpose_backbone vivit vjepa2 xclip xclip_vision_model
      yolos zoedepth`),
    fits: ({ vision_config }) => isPlain(vision_config)
  },
  {
    why: 'it reads or makes sound, and attnscope sizes layers over text',
    types: words(`
      audio-spectrogram-transformer audioflamingo3 audioflamingo3_encoder bark clap clap_audio_model clvp cohere_asr
      csm dac data2vec-audio dia encodec fastspeech2_conformer fastspeech2_conformer_hifigan
      fastspeech2_conformer_with_hifigan gemma3n_audio gemma4_audio gemma4_unified_audio glmasr glmasr_encoder
      granite_speech granite_speech_encoder granite_speech_plus granite_speech_plus_encoder higgs_audio_v2
      higgs_audio_v2_tokenizer hubert kyutai_speech_to_text lasr_ctc lasr_encoder mimi moonshine moonshine_streaming
      moonshine_streaming_encoder moshi musicflamingo musicgen musicgen_melody parakeet_ctc parakeet_encoder
      parakeet_rnnt parakeet_tdt pe_audio pe_audio_encoder pe_audio_video pe_audio_video_encoder phi4_multimodal_audio
      qwen2_5_omni_audio_encoder qwen2_5_omni_bigvgan qwen2_5_omni_dit qwen2_5_omni_token2wav qwen2_audio
      qwen2_audio_encoder qwen3_omni_moe_audio_encoder seamless_m4t seamless_m4t_v2 sew sew-d speech-encoder-decoder
      speech_to_text speecht5 speecht5_hifigan unispeech unispeech-sat univnet vibevoice_acoustic_tokenizer
      vibevoice_acoustic_tokenizer_decoder vibevoice_acoustic_tokenizer_encoder vibevoice_asr vits voxtral
      voxtral_encoder voxtral_realtime voxtral_realtime_encoder wav2vec2 wav2vec2-bert wav2vec2-conformer wavlm xcodec`),
    fits: ({ audio_config }) => isPlain(audio_config)
  },
  {
    why: 'it keeps a state in place of attention, in all or some of its layers (state space, recurrence), which attnscope does not have',
    types: words(`
      bamba falcon_h1 falcon_mamba granitemoehybrid jamba mamba mamba2 nemotron_h recurrent_gemma rwkv xlstm zamba
      zamba2`)
  },
  {
    why: 'some of its layers keep a state of one size in place of keys and values (linear attention, short convolutions), which attnscope does not have',
    types: words('lfm2 lfm2_moe minimax olmo_hybrid qwen3_5_moe_text qwen3_5_text qwen3_next'),
    fits: ({ layer_types }) => Array.isArray(layer_types) && layer_types.includes('linear_attention')
  },
  {
    why: 'it has experts, of which each token passes through a few, and the feed-forward block of every layer here is one for all tokens',
    types: words(`
      afmoe aria_text cohere2_moe dbrx deepseek_ocr2_text deepseek_v32 deepseek_v4 diffusion_gemma_text doge dots1
      ernie4_5_moe ernie4_5_vl_moe_text exaone_moe flex_olmo glm4_moe glm4_moe_lite glm4v_moe_text glm_moe_dsa gpt_oss
      granitemoe granitemoeshared hunyuan_v1_moe hy_v3 jetmoe laguna llama4_text longcat_flash mellum minimax_m2
      minimax_m3_vl_text mistral4 mixtral olmoe openai_privacy_filter phimoe qwen2_moe qwen3_moe
      qwen3_omni_moe_talker_text qwen3_omni_moe_text qwen3_vl_moe_text solar_open`),
    fits: (json) => ['num_local_experts', 'num_experts', 'n_routed_experts'].some((key) => Number(json[key]) > 1)
  },
  {
    why: 'it forecasts series of numbers, and attnscope sizes layers over text',
    types: words(`
      autoformer decision_transformer informer patchtsmixer patchtst time_series_transformer timesfm timesfm2_5`)
  },
  {
    why: 'it is a part of a larger model',
    types: words(`
      aimv2_text_model align_text_model altclip_text_model blip_2_qformer blip_text_model blt_global_transformer
      blt_local_decoder blt_local_encoder blt_patcher bridgetower_text_model chinese_clip_text_model clap_text_model
      clip_text_model clipseg_text_model clvp_decoder clvp_encoder csm_depth_decoder_model dia_decoder dia_encoder
      emu3_text_model flava_multimodal_model flava_text_model gemma4_assistant gemma4_unified_assistant glm4v_text
      glm_image_text glm_ocr_text granite4_vision_text groupvit_text_model idefics2_perceiver idefics_perciever
      instructblip_qformer instructblipvideo_qformer kosmos_2_5_text_model kosmos_2_text_model metaclip_2_text_model
      mllama_text_model moshi_depth musicgen_decoder musicgen_melody_decoder owlv2_text_model owlvit_text_model
      paddleocr_vl_text pix2struct_text_model qwen2_5_omni_talker qwen2_5_omni_text qwen2_5_vl_text qwen2_vl_text
      qwen3_omni_moe_talker_code_predictor qwen3_vl_text sam3_lite_text_text_model siglip2_text_model
      siglip_text_model t5_gemma_module t5gemma2_decoder t5gemma2_encoder t5gemma2_text trocr voxtral_realtime_text
      xclip_text_model`)
  },
  {
    why: 'it has embeddings of places on a page, which the encoder here lacks',
    types: words('bros layoutlm lilt')
  },
  {
    why: 'attention and feed-forward network stand side by side in its block: another block than those of attnscope',
    types: words('codegen cohere cohere2 gptj phi')
  },
  {
    why: 'the layers here do not yet have its norms, which have no weights',
    types: words('nanochat olmo')
  },
  {
    why: 'layers with a window have other heads in it than the layers without: another block than those of attnscope',
    types: words('gemma4_text gemma4_unified_text')
  },
  {
    why: 'attnscope has its layers, but does not yet read the keys of its file',
    types: words('camembert cwm data2vec-text vaultgemma youtu')
  },
  {
    why: 'it has another block than those of attnscope',
    types: words(`
      albert apertus bert-generation big_bird biogpt bitnet bloom blt canine convbert cpmant ctrl deberta deberta-v2
      diffllama dpr electra ernie esm eurobert falcon flaubert fnet funnel gemma3n_text gpt_bigcode gpt_neo
      gpt_neox gpt_neox_japanese hrm_text ibert jina_embeddings_v3 longformer luke markuplm megatron-bert mobilebert
      modernbert modernbert-decoder mpnet mpt mra nomic_bert nystromformer openai-gpt opt persimmon reformer rembert
      roberta-prelayernorm roc_bert roformer splinter squeezebert tapas xglm xlm xlm-roberta-xl xlnet xmod yoso`)
  }
];

/** Every type of transformers that is refused. */
export const refusedTypes = REFUSED.flatMap(({ types }) => types);

/**
 * Why a file is refused; '' where nothing is known of its type.
 * @param {string} type
 * @param {Json} json
 * @param {(type: string) => boolean} isRead whether there is a family for a type
 * @returns {string}
 */
export function whyRefused(type, json, isRead) {
  const own = REFUSED.find(({ types }) => types.includes(type)) ?? REFUSED.find(({ fits }) => fits?.(json));
  if (!own) return '';
  const inside = textOf(json);
  if (!inside || inside.type === type) return own.why;
  const text = `${own.why}; the model of its text, ${inside.path}, is of type ${show(inside.type)}`;
  if (isRead(inside.type)) return `${text}, which is read where ${inside.path} is given alone`;
  const why = whyRefused(inside.type, inside.json, isRead);
  return why ? `${text}, and ${why}` : text;
}

/** Keys under which a file of several models holds that of its text, or a file of several models again. */
const TEXT_KEYS = ['text_config', 'thinker_config', 'language_config', 'llm_config', 'talker_config'];

/**
 * The model of text inside a file of several, up to two levels deep.
 * @param {Json} json
 * @returns {{ path: string, type: string, json: Json } | null}
 */
function textOf(json, depth = 2) {
  const key = TEXT_KEYS.find((key) => isPlain(json[key]));
  if (key === undefined || depth === 0) return null;
  const inner = /** @type {Json} */ (json[key]);
  const deeper = textOf(inner, depth - 1);
  if (deeper) return { ...deeper, path: `${key}.${deeper.path}` };
  const { model_type: type } = inner;
  return typeof type === 'string' ? { path: key, type, json: inner } : null;
}
