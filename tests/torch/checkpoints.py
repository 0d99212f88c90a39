# Checkpoints of transformers' models: how one is built again from its folder, and run.

import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoConfig
from transformers.models.deepseek_v2.modeling_deepseek_v2 import DeepseekV2Attention, DeepseekV2RotaryEmbedding
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention, DeepseekV3RotaryEmbedding

MODELS = {
    "bert": "BertModel",
    "roberta": "RobertaModel",
    "xlm-roberta": "XLMRobertaModel",
    "distilbert": "DistilBertModel",
    "gpt2": "GPT2LMHeadModel",
    "llama": "LlamaForCausalLM",
    "mistral": "MistralForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "gemma2": "Gemma2ForCausalLM",
    "gemma3_text": "Gemma3ForCausalLM",
    "gemma3": "Gemma3ForConditionalGeneration",
    "gemma": "GemmaForCausalLM",
    "phi3": "Phi3ForCausalLM",
    "arcee": "ArceeForCausalLM",
    "nemotron": "NemotronForCausalLM",
    "jais2": "Jais2ForCausalLM",
    "granite": "GraniteForCausalLM",
    "hyperclovax": "HyperCLOVAXForCausalLM",
    "glm": "GlmForCausalLM",
    "glm4": "Glm4ForCausalLM",
    "helium": "HeliumForCausalLM",
    "ernie4_5": "Ernie4_5ForCausalLM",
    "olmo2": "Olmo2ForCausalLM",
    "olmo3": "Olmo3ForCausalLM",
    "exaone4": "Exaone4ForCausalLM",
    "hunyuan_v1_dense": "HunYuanDenseV1ForCausalLM",
    "smollm3": "SmolLM3ForCausalLM",
    "stablelm": "StableLmForCausalLM",
    "starcoder2": "Starcoder2ForCausalLM",
    "seed_oss": "SeedOssForCausalLM",
    "ministral": "MinistralForCausalLM",
    "ministral3": "Ministral3ForCausalLM",
    "qwen2_vl": "Qwen2VLForConditionalGeneration",
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
    "qwen3_vl": "Qwen3VLForConditionalGeneration",
    "mistral3": "Mistral3ForConditionalGeneration",
}
LATENT = {
    "deepseek_v2": (DeepseekV2Attention, DeepseekV2RotaryEmbedding),
    "deepseek_v3": (DeepseekV3Attention, DeepseekV3RotaryEmbedding),
}
ENCODERS = {"bert", "roberta", "xlm-roberta", "distilbert"}


def config_of(folder):
    """With the attention that gives weights and caps scores. In the other alone Gemma 2 attends both ways, and encoders
    take is_causal."""
    config = AutoConfig.from_pretrained(folder)
    text = config.get_text_config()
    both_ways = getattr(text, "use_bidirectional_attention", None)
    causal = config.model_type in ENCODERS and getattr(config, "is_causal", False)
    config._attn_implementation = text._attn_implementation = "sdpa" if both_ways or causal else "eager"
    return config


def model_of(folder):
    config = config_of(folder)
    if config.model_type in LATENT:
        return LATENT[config.model_type][0](config, 0).eval()
    return getattr(transformers, MODELS[config.model_type])(config).eval()


def loaded(folder):
    model = model_of(folder)
    model.load_state_dict(load_file(folder / "model.safetensors"), strict=True)
    return model


@torch.no_grad()
def results_of(model, inputs, padded):
    """By attnscope's names; of padded sequences those of the tokens, which come first."""
    if isinstance(model, tuple(attention for attention, _ in LATENT.values())):
        return attended(model, inputs["hidden_states"])
    tokens, lengths = inputs["tokens"].long(), inputs["lengths"]
    asked = {"output_attentions": model.config._attn_implementation == "eager"}
    if padded:
        is_token = torch.arange(tokens.size(1)) < lengths[:, None]
        tokens = tokens.masked_fill(~is_token, model.config.pad_token_id)
        asked["attention_mask"] = is_token.long()
    results = model(input_ids=tokens, **asked)
    weights = results.get("attentions")
    found = {
        "output": results["logits" if "logits" in results else "last_hidden_state"], "pooled": results.get("pooler_output"),
        "weights": weights[-1] if weights else None,
    }
    return {name: tensor for name, tensor in found.items() if tensor is not None}


def attended(attention, x):
    length = x.size(1)
    turns = LATENT[attention.config.model_type][1](attention.config)(x, torch.arange(length)[None])
    mask = torch.full((1, 1, length, length), -torch.inf).triu(1)
    output, weights = attention(x, position_embeddings=turns, attention_mask=mask)
    return {"output": output, "weights": weights}
